package io.portcullis.artifacts.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpOriginTest {

    @ParameterizedTest
    @CsvSource({
        "https://a/x, https://a/y, true",
        "https://a/x, https://A:443/y, true",
        "http://a/x, http://a:80/y, true",
        "https://a/x, https://a:444/y, false",
        "https://a/x, http://a/y, false",
        "https://a/x, http://a:443/y, false",
        "https://a/x, https://b/x, false",
        "https://a/x, https://a.b/x, false",
        "https://a/x, https://x.a/x, false",
    })
    void keepsCredentialsForTheSameOriginOnly(URI from, URI target, boolean kept) {
        var request = Request.get(from, Map.of("authorization", "Basic x", "Cookie", "c", "Accept", "y"));

        assertThat(request.redirectedTo(from, target).headers().keySet())
                .containsExactlyInAnyOrder(
                        kept ? new String[] {"authorization", "Cookie", "Accept"} : new String[] {"Accept"});
    }

    @ParameterizedTest
    @CsvSource({
        "https://a/x, https://b/y, ''",
        "http://a/x, http://b/y, ''",
        "http://a/x, https://b/y, ''",
        "https://a/x, http://a/y, from https to plain http",
        "https://a/x, http://b/y, from https to plain http",
        "https://a/x, https://user:pass@b/y, carries credentials",
        "https://a/x, file:///etc/passwd, no web address",
        "https://a/x, ftp://b/y, no web address",
        "https://a/x, https:///y, no web address",
        "https://a/x, gopher://b, no web address",
    })
    void refusesDangerousRedirects(URI from, URI target, String why) {
        assertThat(HttpOrigin.redirectRefusal(from, target).orElse("")).contains(why);
        assertThat(HttpOrigin.redirectRefusal(from, target).isEmpty()).isEqualTo(why.isEmpty());
    }
}
