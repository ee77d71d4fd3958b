# LibTorch as the target headway_torch, where there is to be a worker.
add_library(headway_torch INTERFACE)
if(HEADWAY_WORKER)
  # Not find_package(Torch): its configuration wants the development files of all that LibTorch was built with.
  # The headers and two libraries do, in Debian 12 and 13, and in a folder that CMAKE_PREFIX_PATH names.
  find_path(TORCH_INCLUDE_DIR ATen/Parallel.h REQUIRED)
  find_path(TORCH_API_INCLUDE_DIR torch/torch.h PATH_SUFFIXES torch/csrc/api/include REQUIRED)
  find_library(TORCH_CPU_LIBRARY torch_cpu REQUIRED)
  find_library(C10_LIBRARY c10 REQUIRED)
  file(STRINGS ${TORCH_API_INCLUDE_DIR}/torch/version.h torch_version
    REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM torch_version REPLACE ".* " "")
  list(JOIN torch_version . torch_version)
  target_compile_definitions(headway_options INTERFACE HEADWAY_LIBTORCH="${torch_version}")
  target_include_directories(headway_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIR} ${TORCH_API_INCLUDE_DIR})
  target_link_options(headway_torch INTERFACE -Wl,--as-needed)
  target_link_libraries(headway_torch INTERFACE ${TORCH_CPU_LIBRARY} ${C10_LIBRARY})
endif()
