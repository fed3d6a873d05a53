package io.portcullis.kwctl.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.kwctl.yaml.YamlText;
import org.junit.jupiter.api.Test;

class BatsImportTest {

    private static BatsImport imported(String text) {
        return BatsImport.of(text, name -> "from: " + name + "\n");
    }

    @Test
    void convertsSupportedAssertions() {
        var result = imported("""
                #!/usr/bin/env bats

                @test "reject because privileged" {
                  run kwctl run annotated-policy.wasm -r test_data/pod.json \\
                    --settings-json '{"a": "it is"}'

                  # this prints the output when one of the checks below fails
                  echo "output = ${output}"

                  [ "$status" -eq 0 ]
                  [ $(expr "$output" : '.*allowed.*false') -ne 0 ]
                  [ $(expr "$output" : '.*"message":"not allowed.*') -ne 0 ]
                }

                @test "accept" {
                  run kwctl run --request-path test_data/ok.json --settings-path s.yml --allow-context-aware \\
                    --replay-host-capabilities-interactions session.yml annotated-policy.wasm
                  [ "$status" -eq 0 ]
                  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
                  [ $(expr "$output" : '.*patch.*') -eq 0 ]
                }

                @test 'invalid settings' {
                  run kwctl run annotated-policy.wasm -r test_data/pod.json --settings-json '{}'
                  [ "$status" -eq 1 ]
                  [ $(expr "$output" : '.*Provided settings are not valid: a is missing.*') -ne 0 ]
                }

                @test "glob" {
                  run kwctl run annotated-policy.wasm -r "test data/pod.json"
                  [[ "$output" == *"\\"allowed\\":false"* ]]
                }

                @test "broken settings" {
                  run kwctl run annotated-policy.wasm -r test_data/pod.json --settings-json '{}'
                  [ "$status" -ne 0 ]
                }
                """);

        assertThat(YamlText.of(result.suite())).isEqualTo("""
                policy: annotated-policy.wasm
                cases:
                - name: reject because privileged
                  request: test_data/pod.json
                  settings:
                    a: it is
                  expect:
                    allowed: false
                    message: not allowed
                - name: accept
                  request: test_data/ok.json
                  settings:
                    from: s.yml
                  session: session.yml
                  expect:
                    allowed: true
                    patch: []
                - name: invalid settings
                  request: test_data/pod.json
                  settings: {}
                  expect:
                    settingsError: a is missing
                - name: glob
                  request: test data/pod.json
                  expect:
                    allowed: false
                - name: broken settings
                  request: test_data/pod.json
                  settings: {}
                  expect:
                    settingsError: ''
                """);
        assertThat(result.remarks()).isEmpty();
    }

    @Test
    void reportsUnsupportedTestsAndAssertions() {
        var result = imported("""
                @test "good" {
                  run kwctl run -e opa p.wasm -r r.json
                  [ $(expr "$output" : '.*allowed.*true') -ne 0 ]
                  [ $(expr "$output" : '.*[0-9]* patches.*') -ne 0 ]
                }
                @test "variable" {
                  run kwctl run "$POLICY" -r r.json
                  [ "$status" -eq 0 ]
                }
                @test "twice" {
                  run kwctl run p.wasm -r r.json
                  run kwctl run p.wasm -r s.json
                }
                @test "other" {
                  run true
                }
                @test "nothing" {
                  run kwctl run p.wasm -r r.json
                  [ "$status" -eq 0 ]
                }
                """);

        assertThat(result.suite().path("cases")).hasSize(1);
        assertThat(result.remarks())
                .containsExactly(
                        "\"good\": -e is left out",
                        "\"good\": cannot take over the demand .*[0-9]* patches.*",
                        "\"variable\": its command line uses variables or pipes",
                        "\"twice\": calls `kwctl run` more than once",
                        "\"other\": does not call `kwctl run`",
                        "\"nothing\": demands nothing that a suite can say");
    }

    @Test
    void rejectsFilesWithoutTests() {
        assertThatThrownBy(() -> imported("echo hello\n")).hasMessageContaining("no test that calls `kwctl run`");
        assertThatThrownBy(() -> imported("""
                        @test "a" {
                          run kwctl run a.wasm -r r.json
                          [ $(expr "$output" : '.*allowed.*true') -ne 0 ]
                        }
                        @test "b" {
                          run kwctl run b.wasm -r r.json
                          [ $(expr "$output" : '.*allowed.*true') -ne 0 ]
                        }
                        """))
                .hasMessageContaining("several policies")
                .hasMessageContaining("a.wasm, b.wasm");
        assertThatThrownBy(() -> imported("""
                        @test "a" {
                          run kwctl run a.wasm -r r.json --settings-json '{'
                        }
                        """)).hasMessageContaining("cannot parse the settings in --settings-json");
    }
}
