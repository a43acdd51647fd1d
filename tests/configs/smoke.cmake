# SPDX-License-Identifier: Apache-2.0
# cmake -DSTEPBENCH=… -DWORKER=… -DCONFIG_FILE=… -DOUT=… -P smoke.cmake
# Runs a configuration with --smoke: every case is measured or skipped by a rule, at least one is measured.
file(REMOVE_RECURSE ${OUT})
execute_process(COMMAND ${STEPBENCH} run ${CONFIG_FILE} --smoke --worker ${WORKER} --results ${OUT} --no-lock
                OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit ${status}\n${out}\n${err}")
endif()
file(GLOB run_dir ${OUT}/*)
execute_process(COMMAND ${STEPBENCH} show ${run_dir} --format json OUTPUT_VARIABLE out ERROR_VARIABLE err
                RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT out MATCHES "smoke")
  message(FATAL_ERROR "stepbench show: exit ${status}; its rows should be marked smoke\n${out}\n${err}")
endif()
