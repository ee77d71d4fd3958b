// Legends as JSON: a map as the metadata of datasets has it, and which imported files use in part.
//
//     vocabulary   list of words
//     classes      list of at least two
//     groups       map from names to lists of values
//     roles        list
//     relations    map from names to lists of pairs. A pair is [query, key], two roles of which one
//                  may be "*" or null (any), or a map {"query": …, "key": …}, which may also have a
//                  "group" and a "value": only samples with that value count.
#pragma once

#include "lib/base/json.h"
#include "lib/data/legend.h"

namespace headway {

inline constexpr std::string_view kLegendParts[] = {"vocabulary", "classes", "groups", "roles",
                                                    "relations"};

// What is empty is left out.
Json to_json(const Legend& legend);

// Only the vocabulary must be there. Throws Error that names the part: something is no list of
// different texts, a pair has an unknown role, group or value, or a name cannot be used
// (check_names).
Legend legend_from(const Json& json);

}  // namespace headway
