/// The orders in which several actors can take their steps, each actor's own steps staying in order.
enum Orders {
    /// Every order, as the actors' names, up to a number of them; beyond it an even selection.
    /// - Parameter steps: how many steps each actor takes.
    static func all(_ steps: [Character: Int], atMost bound: Int) -> [String] {
        let total = count(steps)
        let stride = max(1, total / bound)
        var orders: [String] = []
        var index = 0
        while index < total, orders.count < bound {
            orders.append(order(index, steps))
            index += stride
        }
        return orders
    }

    /// How many orders there are: the multinomial coefficient.
    static func count(_ steps: [Character: Int]) -> Int {
        var (result, taken) = (1, 0)
        for (_, number) in steps.sorted(by: { $0.key < $1.key }) {
            for i in 1...max(1, number) where number > 0 {
                taken += 1
                result = result * taken / i
            }
        }
        return result
    }

    /// The order of that rank, in the actors' alphabetical order.
    static func order(_ rank: Int, _ steps: [Character: Int]) -> String {
        var (rank, left) = (rank, steps)
        var text = ""
        while left.values.contains(where: { $0 > 0 }) {
            for actor in left.keys.sorted() where left[actor, default: 0] > 0 {
                left[actor, default: 0] -= 1
                let below = count(left)
                if rank < below {
                    text.append(actor)
                    break
                }
                rank -= below
                left[actor, default: 0] += 1
            }
        }
        return text
    }
}
