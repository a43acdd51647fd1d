# SPDX-License-Identifier: Apache-2.0
# cmake -DREADELF=… -DPROGRAM=… [-DNEEDS=regex] [-DNEEDS_NOT=regex] -P needed.cmake
# Holds the libraries that a program asks the dynamic loader for against what it must and must not need.
execute_process(COMMAND ${READELF} -d ${PROGRAM} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "[" "<" dynamic "${dynamic}")  # an open bracket would join the elements of a CMake list
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*<[^]\n]*" entries "${dynamic}")
list(TRANSFORM entries REPLACE ".*<" "" OUTPUT_VARIABLE libraries)
if(libraries STREQUAL "")
  message(FATAL_ERROR "${PROGRAM}: readelf shows no NEEDED entry")
endif()
set(found FALSE)
foreach(library IN LISTS libraries)
  if(DEFINED NEEDS_NOT AND library MATCHES "${NEEDS_NOT}")
    message(FATAL_ERROR "${PROGRAM} needs ${library}, which it must run without")
  endif()
  if(DEFINED NEEDS AND library MATCHES "${NEEDS}")
    set(found TRUE)
  endif()
endforeach()
if(DEFINED NEEDS AND NOT found)
  message(FATAL_ERROR "${PROGRAM} does not need ${NEEDS} (it needs ${libraries}): was it linked with --as-needed?")
endif()
