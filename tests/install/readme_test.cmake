# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DREADME=… -DWORK=… -DCXX=… -DCXX_FLAGS=… -P readme_test.cmake
# Runs the lines of README that install stepbench and build on it, as they stand there but for the folders.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(READ ${README} text)
string(REGEX MATCH "```console\n(\\$ cmake --install [^`]+)```" found "${text}")
if(NOT found)
  message(FATAL_ERROR "no lines that begin with `$ cmake --install` in ${README}")
endif()
string(REGEX REPLACE "(^|\n)\\$ " "\\1" lines "${CMAKE_MATCH_1}")
string(REPLACE "build/ci" "${BUILD}" lines "${lines}")
string(REPLACE "~/.local" "${WORK}/prefix" lines "${lines}")

set(ENV{PATH} "${WORK}/prefix/bin:$ENV{PATH}")
set(ENV{CXX} ${CXX})
set(ENV{CXXFLAGS} "${CXX_FLAGS}")
set(ENV{CMAKE_GENERATOR} Ninja)
string(REPLACE "stepbench run " "stepbench run --no-lock " lines "${lines}")  # others may measure meanwhile
run("the lines of ${README}" sh -exc "${lines}")
if(NOT out MATCHES "samples/s")
  message(FATAL_ERROR "no table at the end of:\n${lines}\n${out}")
endif()
