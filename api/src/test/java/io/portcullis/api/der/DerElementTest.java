package io.portcullis.api.der;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DerElementTest {

    @Test
    void readsNestedElements() {
        var sequence = only("300b 0603 550411 0201 80 0101ff".replace(" ", ""));

        assertThat(sequence.sequence(3)).hasSize(3);
        assertThat(sequence.child(0, DerElement.OID).dotted()).isEqualTo("2.5.4.17");
        assertThat(sequence.child(1, DerElement.INTEGER).smallInteger()).isEqualTo(-128);
        assertThat(sequence.child(2, DerElement.BOOLEAN).bool()).isTrue();
        assertThat(sequence.child(1, DerElement.INTEGER).encoded()).containsExactly(2, 1, 0x80);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000})
    void readsWhatItWrites(int length) {
        var written = DerElement.of(DerElement.OCTET_STRING, new byte[length]);

        var read = DerElement.only(written.encoded());

        assertThat(read.tag()).isEqualTo(DerElement.OCTET_STRING);
        assertThat(read.content()).hasSize(length);
        assertThat(DerElement.of(DerElement.SEQUENCE, List.of(read, read)).children())
                .hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "30,             element",
        "1f0100,         element",
        "3001,           length",
        "308101,         length",
        "30800000,       length",
        "04810100,       length",
        "0482000100,     length",
        "04840000000100, length",
        "04000400,       trailing data",
        "'',             trailing data",
    })
    void rejectsWhatIsNotDer(String hex, String what) {
        assertThatThrownBy(() -> only(hex))
                .isInstanceOf(MalformedDerException.class)
                .hasMessage("malformed " + what);
    }

    @Test
    void rejectsValuesOfAnotherType() {
        var integer = only("020101");

        for (var read : List.<Runnable>of(
                integer::oid, integer::bool, integer::bits, () -> integer.sequence(0), () -> integer.child(0, 2))) {
            assertThatThrownBy(read::run).isInstanceOf(MalformedDerException.class);
        }
        assertThatThrownBy(only("0200")::integer).hasMessage("malformed integer");
        assertThatThrownBy(only("0100")::bool).hasMessage("malformed boolean");
        assertThatThrownBy(only("0600")::oid).hasMessage("malformed object identifier");
        assertThatThrownBy(only("060181")::oid).hasMessage("malformed object identifier");
        assertThatThrownBy(only("0303010203")::bits).hasMessage("malformed bit string");
    }

    @Test
    void rejectsIntegersThatNoKeyHas() {
        var large = DerElement.of(DerElement.INTEGER, new byte[2_050]);

        assertThatThrownBy(large::integer).hasMessage("malformed integer: it has more than 2049 bytes");
    }

    private static DerElement only(String hex) {
        return DerElement.only(HexFormat.of().parseHex(hex));
    }
}
