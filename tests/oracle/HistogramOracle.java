// What HdrHistogram says of recorded latencies: one block of figures and the percentile table for
// each file of whole numbers of nanoseconds, one a line. histogram.cpp says the same of ours.
//
//     java -cp hdrhistogram.jar HistogramOracle.java FILE...

import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

public class HistogramOracle {
    static final double[] PERCENTILES = {0, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100};

    public static void main(String[] files) throws Exception {
        for (String file : files) {
            Histogram histogram = new Histogram(1, 60_000_000_000L, 3);
            for (String line : Files.readAllLines(Path.of(file))) {
                histogram.recordValue(Long.parseLong(line));
            }
            System.out.println("count " + histogram.getTotalCount());
            System.out.println("min " + histogram.getMinValue());
            System.out.println("max " + histogram.getMaxValue());
            System.out.println("mean " + (long) histogram.getMean());
            for (double percentile : PERCENTILES) {
                System.out.println("p" + percentile + " "
                        + histogram.getValueAtPercentile(percentile));
            }
            histogram.outputPercentileDistribution(System.out, 5, 1e6);
        }
    }
}
