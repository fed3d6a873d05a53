package io.portcullis.audit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageSizeTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "100 | 1000     | 100",
                "100 | 4194304  | 100",
                "100 | 4194305  | 50",
                "50  | 1048576  | 50",
                "50  | 1048575  | 100",
                "60  | 10       | 100",
                "1   | 33554432 | 1",
                "1   | 10       | 2",
            })
    void adaptsTheLimitToTheSizeOfTheLastPage(int limit, int bytes, int next) {
        assertThat(new PageSize(limit, 100).after(bytes)).isEqualTo(new PageSize(next, 100));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"100 | 25", "25 | 6", "6 | 1", "3 | 1"})
    void reducesTheLimitAfterAnOversizedPage(int limit, int next) {
        assertThat(new PageSize(limit, 100).afterOversizedPage()).isEqualTo(new PageSize(next, 100));
    }
}
