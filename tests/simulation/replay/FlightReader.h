// Makes a Flight of the lines of one dispatcher.
//
// Thread: a value.
// Errors: std::runtime_error names the line that is none.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>

#include "simulation/replay/Flight.h"

namespace simulation {

class FlightReader {
  public:
    // `header`: "dispatcher echo-1 selects tasks 2".
    FlightReader(const std::string& header, const std::string& handler);

    void add(const std::string& text);
    Flight finish();

  private:
    struct Line;

    void beginTurn(const Line& line, bool selects);
    void callback(const Line& line);
    void goOn(const Line& line);
    void ended(const Line& line);
    std::size_t connectionAt(const std::string& slot, bool isNew);
    void add(FlightEvent event);
    void leaveOutWhoOwed();
    void endInside();
    void renumber();
    template <class Change>
    void forEach(Change change);

    Flight flight_;
    const std::string handler_;
    bool works_;
    bool selected_ = true;                     // the current turn
    std::map<std::string, std::size_t> open_;  // by slot
    std::vector<bool> isNew_;                  // by connection
};

}  // namespace simulation
