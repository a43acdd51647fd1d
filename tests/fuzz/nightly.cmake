# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=… -P nightly.cmake: builds the preset `fuzz` and runs every fuzzer for a minute.
find_program(clang NAMES clang++ clang++-14)
if(NOT clang)
  message("skipped: there is no clang++; Debian's clang and libclang-rt-14-dev have libFuzzer")
  return()
endif()
execute_process(COMMAND ${clang} -print-file-name=libclang_rt.fuzzer-x86_64.a OUTPUT_VARIABLE runtime
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${clang} -print-runtime-dir OUTPUT_VARIABLE runtimes OUTPUT_STRIP_TRAILING_WHITESPACE)
file(GLOB found ${runtime} ${runtimes}/libclang_rt.fuzzer*.a)
if(NOT found)
  message("skipped: ${clang} has no libFuzzer; Debian's libclang-rt-14-dev has it")
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --preset fuzz -DCMAKE_CXX_COMPILER=${clang} WORKING_DIRECTORY ${SOURCE}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build --preset fuzz WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir build/fuzz -L nightly -R ^Fuzz --output-on-failure
                WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
