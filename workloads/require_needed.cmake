# cmake -DREADELF=... -DPROGRAM=... -DNEEDED=libx.so -P require_needed.cmake: fails unless PROGRAM lists NEEDED.
execute_process(COMMAND ${READELF} -d ${PROGRAM} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "NEEDED[^\n]*\\[${NEEDED}")
  message(FATAL_ERROR "${PROGRAM} does not link ${NEEDED}, though libtorch has it: link through TORCH_LIBRARIES and "
          "without a later --as-needed.")
endif()
