# SPDX-License-Identifier: Apache-2.0
# cmake -DTOOLS=… -DBUILD=… -DTORCH=… -DWORK=… -P bundle_test.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(bundle ${WORK}/bundle)

function(expect status)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE got)
  if(NOT got EQUAL ${status})
    message(FATAL_ERROR "${ARGN}: expected exit ${status}, got ${got}\n${out}\n${err}")
  endif()
  set(said "${out}${err}" PARENT_SCOPE)
endfunction()

expect(0 ${TOOLS}/bundle --out ${bundle} --build ${BUILD})
expect(2 ${TOOLS}/bundle --out ${bundle} --build ${BUILD})  # it is not empty
if(NOT said MATCHES "not empty")
  message(FATAL_ERROR "${said}")
endif()

set(clean env -i PATH=/usr/bin:/bin HOME=${WORK})
expect(0 ${clean} ${bundle}/stepbench --help)
expect(0 ${clean} ${bundle}/stepbench plan ${bundle}/configs/train_mlp.yaml --set device=cpu)
expect(0 ${clean} STEPBENCH_TORCH=${TORCH} ${bundle}/stepbench run ${bundle}/configs/train_mlp.yaml --smoke
       --set device=cpu --results ${WORK}/results --no-lock)
if(NOT said MATCHES "smoke")
  message(FATAL_ERROR "no row was measured:\n${said}")
endif()
expect(2 ${clean} STEPBENCH_TORCH=${WORK} ${bundle}/stepbench --help)
if(NOT said MATCHES "is no torch")
  message(FATAL_ERROR "${said}")
endif()

# A build of the same torch for another CUDA is refused before it fails.
file(MAKE_DIRECTORY ${WORK}/other/lib)
file(TOUCH ${WORK}/other/lib/libtorch.so)
file(READ ${bundle}/torch-version version)
string(REGEX REPLACE "\\+.*" "" version "${version}")
string(STRIP "${version}" version)
file(WRITE ${WORK}/other/version.py "__version__ = '${version}+cu999'\n")
expect(2 ${clean} STEPBENCH_TORCH=${WORK}/other ${bundle}/stepbench --help)
if(NOT said MATCHES "is ${version}\\+cu999")
  message(FATAL_ERROR "${said}")
endif()

# Other programs that it starts find this machine's own C++ library, as long as that is new enough.
expect(0 ${clean} sh -c "sed 's/^exec .*/echo path=$LD_LIBRARY_PATH/' ${bundle}/stepbench > ${bundle}/path.sh")
expect(0 ${clean} sh ${bundle}/path.sh)
if(said MATCHES "lib/cxx")
  message(FATAL_ERROR "the bundle's own is put before it: ${said}")
endif()
file(WRITE ${bundle}/cxx-library-version "9.9.99\n")
expect(0 ${clean} sh ${bundle}/path.sh)
if(NOT said MATCHES "lib/cxx")
  message(FATAL_ERROR "the bundle's own is not used: ${said}")
endif()

# The programs look into the bundle and at nothing of the machine that built them.
execute_process(COMMAND readelf -d ${bundle}/bin/stepbench-worker OUTPUT_VARIABLE dynamic)
if(dynamic MATCHES "site-packages" OR NOT dynamic MATCHES "ORIGIN/../lib")
  message(FATAL_ERROR "${dynamic}")
endif()

# Each library is the bundle's, torch's, or the C library's.
foreach(program stepbench stepbench-worker)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${bundle}/lib:${bundle}/lib/cxx:${TORCH}/lib
                          ldd ${bundle}/bin/${program}
                  OUTPUT_VARIABLE resolved COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n\t ]+ => [^\n]*" entries "${resolved}")
  foreach(entry IN LISTS entries)
    if(entry MATCHES "=> not found"
       OR NOT entry MATCHES "=> (${bundle}/(bin/../)?lib/|[^ ]*/site-packages/|${TORCH}/)"
          AND NOT entry MATCHES "^(libc|libm|libpthread|libdl|librt|libutil|libresolv|linux-vdso)\\.so")
      message(FATAL_ERROR "${program}: ${entry}")
    endif()
  endforeach()
endforeach()

# It must travel with other files within 64 MiB.
file(GLOB_RECURSE files ${bundle}/*)
set(total 0)
foreach(file IN LISTS files)
  file(SIZE ${file} size)
  math(EXPR total "${total} + ${size}")
endforeach()
if(total GREATER 62914560)
  message(FATAL_ERROR "the bundle has ${total} bytes, more than 60 MiB")
endif()

if(NOT EXISTS /proc/driver/nvidia/gpus)
  expect(77 ${clean} ${bundle}/gpu_check --out ${WORK}/report.md)
  if(NOT said MATCHES "no GPU on this machine" OR EXISTS ${WORK}/report.md)
    message(FATAL_ERROR "${said}")
  endif()
endif()
