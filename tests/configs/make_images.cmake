# SPDX-License-Identifier: Apache-2.0
# cmake -DSTEPBENCH=… -DIMAGES=… -DSETS=… -P make_images.cmake: a small JPEG folder and a small set of every other
# format, made anew.
file(REMOVE_RECURSE ${IMAGES})
execute_process(COMMAND ${STEPBENCH} data make jpeg_folder --images 64 --classes 4 --out ${IMAGES}
                COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${SETS})
foreach(arguments "cifar_bin --samples 200" "safetensors --samples 200" "raw_tensor --samples 200"
                  "mnist_idx --samples 200" "token_bin --tokens 20000" "jpeg_folder --images 64 --classes 4"
                  "webdataset --images 64 --classes 4 --shards 4")
  separate_arguments(arguments)
  list(GET arguments 0 kind)
  execute_process(COMMAND ${STEPBENCH} data make ${arguments} --out ${SETS}/${kind} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE made ${IMAGES}/*)
list(LENGTH made count)
if(count LESS 64)
  message(FATAL_ERROR "expected 64 images in ${IMAGES}, found ${count}")
endif()
