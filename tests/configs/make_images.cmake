# SPDX-License-Identifier: Apache-2.0
# cmake -DSTEPBENCH=… -DIMAGES=… -P make_images.cmake: a small JPEG folder, made anew.
file(REMOVE_RECURSE ${IMAGES})
execute_process(COMMAND ${STEPBENCH} data make jpeg_folder --images 64 --classes 4 --out ${IMAGES}
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE made ${IMAGES}/*)
list(LENGTH made count)
if(count LESS 64)
  message(FATAL_ERROR "expected 64 images in ${IMAGES}, found ${count}")
endif()
