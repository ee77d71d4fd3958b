#include "stages/worker_numerics.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "lib/base/machine.h"
#include "lib/base/text.h"
#include "lib/nn/kernels/vectorised.h"
#include "stages/torch_setup.h"

// OpenBLAS, if LibTorch uses it; null otherwise.
extern "C" [[gnu::weak]] char* openblas_get_config();
extern "C" [[gnu::weak]] char* openblas_get_corename();

namespace headway {
namespace {

// What follows the name in LibTorch's description of itself, up to the end of the line; "": none.
std::string in_torch_config(std::string_view name) {
  const std::string config = at::show_config();
  const std::size_t found = config.find(name);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + name.size();
  return std::string(trim(config.substr(begin, config.find('\n', begin) - begin)));
}

// OpenBLAS chooses kernels by the kind of core ("SkylakeX"), which OPENBLAS_CORETYPE can change.
// MKL chooses by the instruction set. Of others we know only the file.
std::string blas() {
  if (openblas_get_config && openblas_get_corename) {
    const std::vector<std::string> words = split(openblas_get_config(), ' ');  // OpenBLAS 0.3.21 …
    return fmt::format("OpenBLAS {} {}", words.size() > 1 ? words[1] : "", openblas_get_corename());
  }
  if (at::globalContext().hasMKL()) return at::get_mkl_version();
  Dl_info library{};
  void* const product = ::dlsym(RTLD_DEFAULT, "sgemm_");
  if (!product || ::dladdr(product, &library) == 0) return "unknown BLAS";
  std::error_code error;
  const auto file = std::filesystem::canonical(library.dli_fname, error);
  return error ? "unknown BLAS" : "BLAS " + file.filename().string();
}

// Of LibTorch's own loops. ATEN_CPU_CAPABILITY can change it.
std::string torch_capability() {
  const std::string found = in_torch_config("CPU capability usage:");
  return found.empty() ? "of unknown capability" : found;
}

}  // namespace

std::string worker_numerics() {
  return printable(fmt::format("{}; {}; LibTorch {} {}; kernels {}", numerics_of_cpu(), blas(),
                               torch_version(), torch_capability(), kernel_version()));
}

}  // namespace headway
