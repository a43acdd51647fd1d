# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DCONSUMER=… -DWORK=… -DCONFIG_FILE=… -DWORKER=… -DCASES=… -DLISTED=… -DOPTION=…
#       -DTYPO=… -DCXX=… -DCXX_FLAGS=… -P install_test.cmake
# Installs the build into WORK/prefix, builds CONSUMER against it as an outside project would, and measures
# CONFIG_FILE with its worker.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run("configuring the consumer" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run("building the consumer" ${CMAKE_COMMAND} --build ${WORK}/build)

set(stepbench ${WORK}/prefix/bin/stepbench)
set(worker ${WORK}/build/${WORKER})
run("listing the worker's options" ${stepbench} list --worker ${worker} ${LISTED})
if(NOT out MATCHES "${OPTION}")
  message(FATAL_ERROR "`stepbench list --worker` does not show ${OPTION}:\n${out}")
endif()
run("planning" ${stepbench} plan ${CONFIG_FILE} --worker ${worker})
run("measuring" ${stepbench} run ${CONFIG_FILE} --worker ${worker} --results ${WORK}/results --no-lock)
file(GLOB run_dir ${WORK}/results/*)
set(charts --plotly none)
if(EXISTS ${WORK}/prefix/share/stepbench/plotly.min.js)
  set(charts "")
endif()
run("reporting" ${stepbench} report ${run_dir} --output ${WORK}/report.html ${charts})
run("showing" ${stepbench} show ${run_dir} --format csv)
string(REGEX MATCHALL "\n[^\n]+" rows "${out}")
list(LENGTH rows count)
if(NOT count EQUAL CASES)
  message(FATAL_ERROR "expected ${CASES} measured rows, found ${count}:\n${out}")
endif()

# A mistake in the worker's own section is answered like any other.
execute_process(COMMAND ${stepbench} plan ${CONFIG_FILE} --worker ${worker} --set ${TYPO}=1
                OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)
if(NOT status EQUAL 2 OR NOT err MATCHES "${OPTION}")
  message(FATAL_ERROR "--set ${TYPO}=1: expected exit 2 and the nearest key ${OPTION}; got ${status}:\n${err}")
endif()
