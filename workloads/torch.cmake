# Finds libtorch in a Python wheel without nvcc or a CUDA toolkit. Caffe2's cuda.cmake returns early when these two
# targets exist, and then asks for no compiler and no toolkit.
if(NOT STEPBENCH_TORCH)
  if(DEFINED ENV{STEPBENCH_TORCH})
    set(STEPBENCH_TORCH $ENV{STEPBENCH_TORCH})
  else()
    file(GLOB torch_in_venv ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
    if(torch_in_venv)
      list(GET torch_in_venv 0 STEPBENCH_TORCH)
    endif()
  endif()
endif()
if(STEPBENCH_TORCH)
  list(PREPEND CMAKE_PREFIX_PATH ${STEPBENCH_TORCH}/share/cmake)
  if(Torch_DIR AND NOT Torch_DIR STREQUAL "${STEPBENCH_TORCH}/share/cmake/Torch")
    unset(Torch_DIR CACHE)  # another torch was chosen since
  endif()
endif()
foreach(target cudart nvtoolsext)
  if(NOT TARGET torch::${target})
    add_library(torch::${target} INTERFACE IMPORTED GLOBAL)
  endif()
endforeach()
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # the tests link torch too
set(CMAKE_MESSAGE_LOG_LEVEL ERROR)  # Torch warns of a static kineto that wheels do not have
find_package(Torch QUIET)
unset(CMAKE_MESSAGE_LOG_LEVEL)
if(NOT Torch_FOUND)
  message(FATAL_ERROR "libtorch was not found. Run tools/setup, or name an installation with "
          "-DSTEPBENCH_TORCH=<site-packages>/torch, or build what needs no torch with -DSTEPBENCH_WORKLOADS=OFF.")
endif()
message(STATUS "libtorch ${Torch_VERSION} in ${TORCH_INSTALL_PREFIX}")
set_property(GLOBAL APPEND PROPERTY JOB_POOLS torch_compile=${STEPBENCH_TORCH_JOBS})
set_property(GLOBAL PROPERTY STEPBENCH_TORCH_LIB ${TORCH_INSTALL_PREFIX}/lib)

# CUDA's headers lie beside torch in the wheel's environment, else where STEPBENCH_CUDA_INCLUDE says; no library of CUDA is
# linked for them.
set(STEPBENCH_TORCH_CUDA_INCLUDE "")
get_property(cuda_include GLOBAL PROPERTY STEPBENCH_CUDA_INCLUDE)
file(GLOB cuda_headers ${TORCH_INSTALL_PREFIX}/../nvidia/*/include/cuda_runtime_api.h)
if(EXISTS ${cuda_include}/cuda_runtime_api.h)
  list(APPEND cuda_headers ${cuda_include}/cuda_runtime_api.h)
endif()
if(cuda_headers AND EXISTS ${TORCH_INSTALL_PREFIX}/lib/libtorch_cuda.so)
  list(GET cuda_headers 0 cuda_header)
  cmake_path(GET cuda_header PARENT_PATH STEPBENCH_TORCH_CUDA_INCLUDE)
endif()

# stepbench_torch_sources(group FILES...): sources of stepbench_workloads. One group is one unity batch, as to read
# torch's headers takes most of its time.
function(stepbench_torch_sources group)
  target_sources(stepbench_workloads PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} TARGET_DIRECTORY stepbench_workloads PROPERTIES UNITY_GROUP ${group})
endfunction()

# stepbench_torch_target(target): how a target with torch sources is compiled. Unity batches, or precompiled headers;
# never both.
function(stepbench_torch_target target)
  set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE torch_compile)
  if(STEPBENCH_PCH)
    target_precompile_headers(${target} PRIVATE <torch/nn.h>)
  else()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

# stepbench_torch_program(target): RPATH to libtorch in the build tree and after installation, and proof that the
# linker kept libtorch_cuda, without which a GPU is silently not seen.
function(stepbench_torch_program target)
  get_property(torch_lib GLOBAL PROPERTY STEPBENCH_TORCH_LIB)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH ${torch_lib})
  if(EXISTS ${torch_lib}/libtorch_cuda.so AND CMAKE_READELF)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DPROGRAM=$<TARGET_FILE:${target}>
              -DNEEDED=libtorch_cuda.so -P ${PROJECT_SOURCE_DIR}/workloads/require_needed.cmake)
  endif()
endfunction()
