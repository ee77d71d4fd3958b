// What one choice does while the rest is the same: the pooling, the encoding, or what stands past
// the last trained position.
#pragma once

#include <string>

#include "lib/report/sources.h"

namespace headway {

// `lengths`: tables of extrapolate; `models`: their metrics, which tell encodings and poolings.
std::string tell_poolings(const Sources& sources);   // of each encoding
std::string tell_encodings(const Sources& sources);  // with each pooling

// `clamped`, `untrained`: tables of the same model, with the last trained position standing for all
// later ones, and with vectors that no training reached.
std::string tell_untrained_positions(const Sources& sources);

}  // namespace headway
