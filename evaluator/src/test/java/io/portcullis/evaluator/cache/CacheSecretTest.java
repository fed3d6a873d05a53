package io.portcullis.evaluator.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheSecretTest {

    @TempDir
    Path directory;

    /** Our HMAC equals that of the Java platform. */
    @Test
    void computesTheHmacOfRfc2104() throws Exception {
        var secret = CacheSecret.in(directory);
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Files.readAllBytes(directory.resolve("secret")), "HmacSHA256"));
        for (var length : new int[] {0, 1, 55, 56, 64, 1000}) {
            var statement = "statement\n".getBytes(StandardCharsets.UTF_8);
            var content = new byte[length];
            mac.update(statement);

            assertThat(secret.mac(statement, content)).isEqualTo(mac.doFinal(content));
        }
    }
}
