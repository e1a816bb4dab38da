import Foundation
import Testing

@testable import Control

/// Expected texts and numbers were worked out with Python: (datetime - datetime(2001, 1, 1)).total_seconds().
@Suite struct DateTextTests {
    @Test(arguments: [
        (0.0, "2001-01-01T00:00:00Z"),
        (-1.0, "2000-12-31T23:59:59Z"),
        (0.5, "2001-01-01T00:00:00.5Z"),
        (-0.5, "2000-12-31T23:59:59.5Z"),
        (646_585_860.0, "2021-06-28T15:11:00Z"),
        (5_097_600.0, "2001-03-01T00:00:00Z"),
        (-978_307_200.0, "1970-01-01T00:00:00Z"),
        (785_980_799.25, "2025-11-27T23:59:59.25Z"),
        (-63_113_904_000.0, "0001-01-01T00:00:00Z"),
        (-63_114_076_800.0, "0000-12-30T00:00:00Z"),
        (252_423_993_599.0, "9999-12-31T23:59:59Z"),
    ])
    func textOfASecondsCountIsTheCivilDate(seconds: Double, text: String) {
        #expect(DateText.text(Date(timeIntervalSinceReferenceDate: seconds)) == text)
        #expect(DateText.date(text)?.timeIntervalSinceReferenceDate == seconds)
    }

    @Test(arguments: [-63_145_526_401.0, 252_423_993_600.0, 1e300, -.infinity, .nan])
    func aDateOutsideOfFourDigitYearsHasNoText(seconds: Double) {
        #expect(DateText.text(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }

    @Test func randomDatesReadBackToTheBit() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let seconds = Double.random(in: -2e9...2e9, using: &generator)
            guard let text = DateText.text(Date(timeIntervalSinceReferenceDate: seconds)) else {
                Issue.record("\(seconds) has no text")
                continue
            }
            #expect(DateText.date(text)?.timeIntervalSinceReferenceDate == seconds, "\(text)")
        }
    }

    @Test func offsetsAndBareDatesAreRead() {
        #expect(DateText.date("2001-01-01")?.timeIntervalSinceReferenceDate == 0)
        #expect(DateText.date("2001-01-01T02:00:00+02:00")?.timeIntervalSinceReferenceDate == 0)
        #expect(DateText.date("2000-12-31T19:00-0500")?.timeIntervalSinceReferenceDate == 0)
    }

    @Test(arguments: [
        "", "2001", "2001-13-01", "2001-01-01T25:00:00Z", "2001-01-01T00:00:00", "yesterday", "2001-01-01T00:00:00.Z",
    ])
    func whatIsNoDateIsRefused(text: String) {
        #expect(DateText.date(text) == nil)
    }
}
