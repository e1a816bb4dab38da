import Foundation
import Testing

@testable import StoreModel

/// The examples of FIPS 180-4, as NIST publishes them.
@Suite struct SHA2Tests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256OfTheExamples(_ text: String, _ expected: String) {
        #expect(hex(SHA256.hash(text.utf8)) == expected)
    }

    @Test(arguments: [
        (
            "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a5"
                + "38327af927da3e"
        ),
        (
            "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a"
                + "9ac94fa54ca49f"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e"
                + "96e55b874be909"
        ),
    ])
    func sha512OfTheExamples(_ text: String, _ expected: String) {
        #expect(hex(SHA512.hash(text.utf8)) == expected)
    }

    @Test func aMillionBytesInUnevenPieces() {
        var short = SHA256()
        var long = SHA512()
        for size in [1, 63, 64, 65, 127, 128, 129, 999_423] {
            short.update(Array(repeating: UInt8(ascii: "a"), count: size))
            long.update(Array(repeating: UInt8(ascii: "a"), count: size))
        }
        #expect(hex(short.finalize()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        #expect(
            hex(long.finalize())
                == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e"
                + "4eadb217ad8cc09b")
    }
}
