# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DREFUSED=… -DWORK=… -DCXX=… -P plugin_test.cmake
# Builds the installed example of a plug-in and the plug-ins in REFUSED against a temporary installation, and measures
# the example with the installed programs.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
set(example ${WORK}/prefix/share/stepbench/examples/plugin)
foreach(project example REFUSED)
  run("configuring the plug-ins" ${CMAKE_COMMAND} -S ${${project}} -B ${WORK}/${project} -G Ninja
      -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX})
  run("building the plug-ins" ${CMAKE_COMMAND} --build ${WORK}/${project})
endforeach()

set(stepbench ${WORK}/prefix/bin/stepbench)
set(config ${example}/train.yaml)
set(ENV{PLUGIN} ${WORK}/example/libtwo_layers.so)
run("planning" ${stepbench} plan ${config})
run("measuring" ${stepbench} run ${config} --results ${WORK}/results --no-lock)
file(GLOB run_dir ${WORK}/results/*)
run("showing" ${stepbench} show ${run_dir} --format csv)
string(REGEX MATCHALL "\n[^\n]+" rows "${out}")
list(LENGTH rows count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "expected a row for each width, found ${count}:\n${out}")
endif()
file(GLOB lines ${run_dir}/*.jsonl)
file(READ ${lines} text)
# 16 x 8 + 8 x 4 + 4 without the hidden layer's bias, and 16 x 32 + 32 x 4 + 4.
foreach(parameters 164 644)
  if(NOT text MATCHES "\"model_parameters\":${parameters}[,}.]")
    message(FATAL_ERROR "no launch with ${parameters} parameters: the plug-in's options did not reach it")
  endif()
endforeach()

# refused(FILE ARGUMENTS... EXPECT texts...): `plan` ends with 2 and says all of them.
function(refused file)
  cmake_parse_arguments(arg "" "" "SET;EXPECT" ${ARGN})
  set(ENV{PLUGIN} ${file})
  execute_process(COMMAND ${stepbench} plan ${config} ${arg_SET} OUTPUT_VARIABLE out ERROR_VARIABLE err
                  RESULT_VARIABLE status)
  foreach(expected IN LISTS arg_EXPECT)
    string(FIND "${err}" "${expected}" at)
    if(NOT status EQUAL 2 OR at EQUAL -1)
      message(FATAL_ERROR "${file} ${arg_SET}: expected exit 2 and \"${expected}\", got ${status}:\n${err}")
    endif()
  endforeach()
endfunction()
file(READ ${WORK}/prefix/lib/cmake/stepbench/stepbenchConfigVersion.cmake version_file)
string(REGEX MATCH "PACKAGE_VERSION \"([^\"]+)\"" found "${version_file}")
refused(${WORK}/REFUSED/libother_version.so
        EXPECT "train.yaml:7" "was built for stepbench 0.0.7" "this is stepbench ${CMAKE_MATCH_1}")
refused(${WORK}/REFUSED/libno_plugin.so EXPECT "is not a plug-in: it has no symbol stepbench_plugin")
refused(${config} EXPECT "cannot be loaded")
refused(${WORK}/example/libnone.so EXPECT "no such file or folder")
refused(${WORK}/example/libtwo_layers.so SET --set plugin.widht=3 EXPECT "did you mean 'width'")
refused(${WORK}/example/libtwo_layers.so SET --set plugin.bias=maybe EXPECT "plugin.bias" "true or false")
