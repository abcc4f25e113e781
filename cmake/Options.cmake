# SPDX-License-Identifier: MIT
# The build's options, resolved: ZCS_WITH_CUDA and ZCS_WITH_V4L2 say what is built in.
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

option(ZCS_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ZCS_WERROR "treat warnings as errors" OFF)
set(ZCS_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize takes them: address,undefined or thread")
set(ZCS_CUDA AUTO CACHE STRING "the CUDA backend: AUTO, ON, OFF")
set(ZCS_V4L2 AUTO CACHE STRING "live capture: AUTO, ON, OFF")

if(ZCS_WERROR)
    add_compile_options(-Werror)
endif()
if(ZCS_SANITIZE)
    add_compile_options(-fsanitize=${ZCS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${ZCS_SANITIZE})
endif()
