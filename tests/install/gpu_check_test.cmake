# SPDX-License-Identifier: Apache-2.0
# cmake -DTOOLS=… -DBUILD=… -DWORK=… -P gpu_check_test.cmake
# The script on a scripted device (scripted_gpu/make.sh) whose programs take a hundredth of the real times and fail,
# hang and crash as they are told; then on the real programs, with the CPU as the device.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(parts facts record doctor tests native kineto ncu numerics graphs aa mfu python configs)

# scripted(NAME STATUS "BEHAVIOUR..." COMMAND_PREFIX... -- ARGUMENTS...): `text` becomes the page.
function(scripted name status behaviour)
  cmake_parse_arguments(arg "" "" "PREFIX;ARGUMENTS" ${ARGN})
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/scripted_gpu/make.sh ${WORK}/${name} 0.01 ${behaviour}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK}/${name}/bin:$ENV{PATH} ${arg_PREFIX}
                          ${TOOLS}/gpu_check --build ${WORK}/${name}/build --out ${WORK}/${name}.md --pace 20
                          ${arg_ARGUMENTS}
                  OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE got)
  if(NOT EXISTS ${WORK}/${name}.md OR NOT EXISTS ${WORK}/${name}.tar.gz)
    message(FATAL_ERROR "${name}: no page or no archive\n${out}\n${err}")
  endif()
  file(READ ${WORK}/${name}.md text)
  if(NOT got EQUAL ${status})
    message(FATAL_ERROR "${name}: expected exit ${status}, got ${got}\n${out}\n${err}\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()
function(has)
  foreach(expected IN LISTS ARGN)
    if(NOT text MATCHES "${expected}")
      message(FATAL_ERROR "the page lacks '${expected}':\n${text}")
    endif()
  endforeach()
endfunction()
function(has_passed)
  foreach(part IN LISTS ARGN)
    has("\n\\| ${part} \\| passed \\|")
  endforeach()
endfunction()

scripted(fine 0 "")
has_passed(${parts})
has("device: Scripted GPU" "device_count" "Gpu.Last \\| passed" "an event \\| 1 us" "aten::mm" "MFU: 0.62")
file(ARCHIVE_EXTRACT INPUT ${WORK}/fine.tar.gz DESTINATION ${WORK}/unpacked)
foreach(file fine.md fine.activity fine.expected fine.answers fine.parts/runs/profile_native/run/results.jsonl)
  if(NOT EXISTS ${WORK}/unpacked/${file})
    message(FATAL_ERROR "the archive lacks ${file}")
  endif()
endforeach()

# Whatever a part does, the others are there.
scripted(half 1 "record=crash;tests=hang;kineto=fail;numerics=crash;mfu=hang")
has_passed(facts doctor native ncu graphs aa python configs)
has("record \\| failed \\(139\\)" "tests \\| failed" "Gpu.Second \\| hung" "Gpu.Third \\| passed" "Gpu.Last \\| passed"
    "kineto \\| failed \\(1\\)" "numerics \\| failed" "mfu \\| cut off after 18 s")
scripted(other_half 1
         "facts=hang;doctor=fail;tests=crash;native=crash;ncu=hang;graphs=fail;aa=crash;python=fail;configs=crash")
has_passed(record kineto numerics mfu)
has("facts \\| cut off" "doctor \\| failed" "Gpu.Second \\| crashed" "Gpu.Last \\| passed" "native \\| failed"
    "ncu \\| cut off" "graphs \\| failed" "aa \\| failed" "python \\| failed" "configs \\| failed")

# A problem of the device is no failure of the check: without what is told of it the page has the rest.
scripted(failing 1 "tests=fail")
has("Gpu.Second \\| failed" "Gpu.Last \\| passed" "gpu.cpp:1: Failure")

# Stopped in the middle it has what is finished, and the same --out goes on with the rest.
scripted(stopped 143 "native=hang" PREFIX timeout --preserve-status -s TERM 14)
has_passed(facts record doctor tests)
has("native \\| (stopped|cut off)" "configs \\| not begun")
file(TIMESTAMP ${WORK}/stopped.parts/tests.state before "%s")
scripted(stopped 0 "")
has_passed(${parts})
file(TIMESTAMP ${WORK}/stopped.parts/tests.state after "%s")
if(NOT before STREQUAL after OR err MATCHES "tests, about")
  message(FATAL_ERROR "what was finished ran again\n${err}")
endif()

# A part that does not fit into the time is skipped; a smaller one after it still runs.
scripted(brief 0 "" ARGUMENTS --minutes 1 --pace 100)
has_passed(facts record)
has("tests \\| left out: it takes about 75 s")

# The real programs.
file(MAKE_DIRECTORY ${WORK}/bin)
file(WRITE ${WORK}/bin/nvidia-smi "#!/bin/sh\necho 'Pretended GPU, 580.00, 1 MiB'\n")
file(CHMOD ${WORK}/bin/nvidia-smi PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
function(check status out)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK}/bin:$ENV{PATH}
                          ${TOOLS}/gpu_check --build ${BUILD} --config train_mlp --minutes 30 --pace 300
                          --out ${WORK}/${out}.md ${ARGN}
                  OUTPUT_VARIABLE said ERROR_VARIABLE err RESULT_VARIABLE got)
  file(READ ${WORK}/${out}.md text)
  if(NOT got EQUAL ${status})
    message(FATAL_ERROR "gpu_check ${ARGN}: expected exit ${status}, got ${got}\n${said}\n${err}\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()
check(0 cpu --device cpu --part doctor --part tests --part native --part kineto --part numerics --part python
      --part configs)
has_passed(doctor tests native kineto numerics python configs)
has("Pretended GPU" "Gpu.PinnedCopies_ReachABareLoop \\| skipped: no CUDA device" "aten::"
    "\\| bf16 \\| [0-9.]+ \\| 0.05 \\| passed")

# Tests that see no device on a machine that shows one have failed, and so has a configuration there.
check(1 hidden --device cuda --part tests --part configs)
has("tests \\| failed" "configs \\| failed")
