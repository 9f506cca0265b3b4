// A ...Now call cannot be made by a function that runs anywhere.
#include <nio/base/ThreadRole.h>

class Counter {
  public:
    void addNow() NIO_REQUIRES(nio::onDispatcher) { ++count_; }

    void addOnDispatcher() {
        nio::onDispatcher.assertCurrent();
        addNow();
    }

    void addAnywhere() {
        addNow();  // must not compile
    }

  private:
    int count_ NIO_GUARDED_BY(nio::onDispatcher) = 0;
};
