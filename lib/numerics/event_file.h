// TensorBoard event files: scalars by step, for TensorBoard and the programs that read its files.
// A file is a sequence of records, each complete in itself, so it can be read while it grows.
//
// A record is a length, the bytes and a checksum of each (TFRecord). The bytes are a protobuf
// message (tensorflow.Event) of which we need four fields, so they are written here by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway {

// Programs recognise the files by this word in their names.
inline constexpr const char* kEventFileName = "events.out.tfevents.headway";

// Times are in seconds since 1970.
std::string event_file_begin(double time);  // the first record of every file
std::string scalar_event(double time, std::int64_t step,
                         const std::vector<std::pair<std::string, double>>& scalars);

// CRC-32C (Castagnoli), the checksum of these files.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace headway
