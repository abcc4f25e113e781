# SPDX-License-Identifier: MIT
# How C is compiled here: zcs_c for everything, zcs_flags also sees the library's inside.
add_library(zcs_c INTERFACE)
target_compile_definitions(zcs_c INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_compile_options(zcs_c INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wvla
    -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough)
if(ZCS_WERROR)
    target_compile_options(zcs_c INTERFACE -Werror)
endif()
if(ZCS_SANITIZE)
    target_compile_options(zcs_c INTERFACE
        -fsanitize=${ZCS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${ZCS_SANITIZE})
    # ThreadSanitizer does not see fences. Those in lib/backend/cuda are between the processor and a GPU, which it does
    # not see either, so nothing is lost; gcc warns of each of them.
    if(ZCS_SANITIZE STREQUAL "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_options(zcs_c INTERFACE -Wno-tsan)
    endif()
endif()

add_library(zcs_flags INTERFACE)
target_link_libraries(zcs_flags INTERFACE zcs_c)
target_include_directories(zcs_flags INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR})
if(ZCS_NVTX)
    target_compile_definitions(zcs_flags INTERFACE ZCS_NVTX)
    target_include_directories(zcs_flags SYSTEM INTERFACE ${ZCS_NVTX_INCLUDE})
endif()
