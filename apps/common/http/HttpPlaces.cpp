#include "common/http/HttpPlaces.h"

#include "common/http/HttpConnection.h"

namespace apps {

void HttpPlaces::come(HttpConnection& connection, Turn& turn) {
    ++taken_;
    served(connection, turn);
}

void HttpPlaces::serve(Turn& turn) {
    if (turn) unserved_.erase(*turn);
    turn.reset();
}

void HttpPlaces::served(HttpConnection& connection, Turn& turn) {
    turn = unserved_.insert(unserved_.end(), &connection);
    if (taken_ >= most_ && unserved_.front() != &connection) unserved_.front()->makeRoom();
}

void HttpPlaces::leave(Turn& turn) {
    serve(turn);
    --taken_;
}

}  // namespace apps
