// What belongs to a dispatcher can be touched in its turns only.
#include <nio/base/ThreadRole.h>

class Session {
  public:
    void packetArrived() NIO_REQUIRES(nio::onDispatcher) { ++packets_; }

    int packets() const {
        return packets_;  // must not compile
        return 0;
    }

  private:
    int packets_ NIO_GUARDED_BY(nio::onDispatcher) = 0;
};
