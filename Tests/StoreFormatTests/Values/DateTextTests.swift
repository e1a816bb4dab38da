import Foundation
import Testing

@testable import StoreFormat

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

    @Test(arguments: ["2000-02-29", "2020-02-29", "2021-02-28", "2021-04-30", "2021-12-31", "0000-02-29"])
    func theLastDayOfAMonthIsOne(text: String) {
        #expect(DateText.date(text).flatMap { DateText.text($0) } == text + "T00:00:00Z")
    }

    /// A double of that size has steps of 31 microseconds: the nearest to the text would be in the year 10000.
    @Test(arguments: ["9999-12-31T23:59:59.999999Z", "9999-12-31T22:59:59.999999999-01:00"])
    func theLastInstantStaysInItsYear(text: String) {
        let date = DateText.date(text)
        #expect(date?.timeIntervalSinceReferenceDate == 252_423_993_599.99997)
        #expect(date.flatMap { DateText.text($0) }?.hasPrefix("9999-12-31T23:59:59.9999") == true)
    }

    @Test func whereNoZoneIsNeededATimeWithoutOneIsInUTC() {
        for text in ["2001-01-01T12:30", "2001-01-01 12:30:00", "2001-01-01T14:30:00 +0200", "2001-01-01T13:30+01"] {
            #expect(DateText.date(text, needsZone: false)?.timeIntervalSinceReferenceDate == 45_000, "\(text)")
        }
    }

    @Test func offsetsAndBareDatesAreRead() {
        #expect(DateText.date("2001-01-01")?.timeIntervalSinceReferenceDate == 0)
        #expect(DateText.date("2001-01-01T02:00:00+02:00")?.timeIntervalSinceReferenceDate == 0)
        #expect(DateText.date("2000-12-31T19:00-0500")?.timeIntervalSinceReferenceDate == 0)
    }

    @Test(arguments: [
        "", "2001", "2001-13-01", "2001-01-01T25:00:00Z", "2001-01-01T00:00:00", "yesterday", "2001-01-01T00:00:00.Z",
        "2021-02-29", "2021-02-30", "1900-02-29", "2021-04-31", "2021-06-31T10:00:00Z", "2021-01-32", "2021-01-00",
        "2021-00-10", "2021-01-01T24:00:00Z", "2021-01-01T23:60:00Z", "2021-12-31T23:59:60Z",
        "2021-01-01T00:00:00+24:00",
        "2021-01-01T00:00:00+01:60", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z",
        "-001-01-01T00:00:00Z", "2021-1-1", "2021-01-01T00:00:00Zx",
    ])
    func whatIsNoDateIsRefused(text: String) {
        #expect(DateText.date(text) == nil)
    }
}
