# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DCONSUMER=… -DWORK=… -DCXX=… -DWITH_TORCH=… -P public_headers_test.cmake
# Installs the build into WORK/prefix and compiles each installed header against it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run("configuring" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${CXX} -DINCLUDE_DIR=${WORK}/prefix/include/stepbench -DWITH_TORCH=${WITH_TORCH})
run("compiling the headers" ${CMAKE_COMMAND} --build ${WORK}/build)
file(GLOB objects ${WORK}/build/CMakeFiles/alone.dir/*.o)
list(LENGTH objects count)
if(count LESS 15)
  message(FATAL_ERROR "only ${count} public headers were compiled")
endif()
