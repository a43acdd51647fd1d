# SPDX-License-Identifier: Apache-2.0
# cmake -DTOOLS=… -DBUILD=… -DWORK=… -P gpu_check_test.cmake
# The script with a pretended nvidia-smi and the CPU as its device: every part runs and stands in the report.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/bin)
file(WRITE ${WORK}/bin/nvidia-smi "#!/bin/sh\necho 'Pretended GPU, 580.00, 1 MiB'\n")
file(CHMOD ${WORK}/bin/nvidia-smi PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(report ${WORK}/report.md)

function(check status)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK}/bin:$ENV{PATH}
                          ${TOOLS}/gpu_check --build ${BUILD} --device cpu --smoke --config train_mlp
                          --out ${report} ${ARGN}
                  OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE got)
  if(NOT got EQUAL ${status})
    file(READ ${report} text)
    message(FATAL_ERROR "gpu_check ${ARGN}: expected exit ${status}, got ${got}\n${out}\n${err}\n${text}")
  endif()
  file(READ ${report} text)
  set(text "${text}" PARENT_SCOPE)
endfunction()

check(0)
foreach(expected "device: Pretended GPU" "## stepbench doctor" "Gpu.PinnedBatchesArePinned \\| skipped: no CUDA device"
        "## Numbers" "## configs/train_mlp.yaml" "--profile=native" "--profile=kineto" "aten::" "clocks after"
        "report-results.tar.gz")
  if(NOT text MATCHES "${expected}")
    message(FATAL_ERROR "the report lacks '${expected}':\n${text}")
  endif()
endforeach()
if(NOT EXISTS ${WORK}/report-results.tar.gz)
  message(FATAL_ERROR "the runs were not kept")
endif()

# A configuration that fails hides nothing of what comes after it.
check(1 --device cuda:77)
if(NOT text MATCHES "Gpu.PinnedBatchesArePinned \\| failed [^\n]*no CUDA device"
   OR NOT text MATCHES "## configs/train_mlp.yaml"
   OR NOT text MATCHES "clocks after")
  message(FATAL_ERROR "${text}")
endif()
