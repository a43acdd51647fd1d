# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DWORK=… -DCXX=… -DCXX_FLAGS=… -P gbench_test.cmake
# Builds the installed example against the installation and runs it: a row for each case and one of the usual kind.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(examples ${WORK}/prefix/share/stepbench/examples)
run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run("configuring the example" ${CMAKE_COMMAND} -S ${examples}/gbench -B ${WORK}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run("building the example" ${CMAKE_COMMAND} --build ${WORK}/build)
run("measuring" ${WORK}/build/sort-benchmarks ${examples}/own_worker/sort.yaml --benchmark_min_time=0.01
    --benchmark_format=json)
string(JSON count LENGTH "${out}" benchmarks)
if(NOT count EQUAL 3)
  message(FATAL_ERROR "expected two cases and one benchmark of the usual kind, found ${count}:\n${out}")
endif()
foreach(row RANGE 1 2)
  foreach(counter shuffle_ns sort_ns sorted items_per_second)
    string(JSON value GET "${out}" benchmarks ${row} ${counter})
    if(NOT value GREATER 0)
      message(FATAL_ERROR "row ${row}: ${counter} is ${value}")
    endif()
  endforeach()
endforeach()
