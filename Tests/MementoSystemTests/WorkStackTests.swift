import MementoSystem
import Synchronization
import TestSupport
import Testing

struct WorkStackTests {
  @Test(arguments: [0, 1, 2, 4, 8])
  func runsEveryTaskOnce(_ workers: Int) {
    let stack = WorkStack<Int>()
    stack.push(0..<2000)
    let counts = Mutex([Int](repeating: 0, count: 2000))
    stack.run(workers: workers) { _, task in counts.withLock { $0[task] += 1 } }
    #expect(counts.withLock { $0 } == [Int](repeating: 1, count: 2000))
  }

  /// A tree with three branches at each node, ten levels deep.
  @Test(arguments: [1, 2, 5])
  func runsTasksThatMakeTasks(_ workers: Int) {
    let stack = WorkStack<Int>()
    let done = Mutex(0)
    stack.push([8])
    stack.run(workers: workers) { _, depth in
      done.withLock { $0 += 1 }
      if depth > 0 { stack.push([depth - 1, depth - 1, depth - 1]) }
    }
    #expect(done.withLock { $0 } == (0...8).reduce(0) { sum, _ in sum * 3 + 1 })
  }

  @Test func neverEndsEarlyOrHangs() {
    // Chains: mostly one task at a time, so that the other workers wait and are woken again and again.
    for round in 0..<300 {
      let stack = WorkStack<Int>()
      let sum = Mutex(0)
      stack.push([round % 7 + 1])
      stack.run(workers: 3) { _, rest in
        sum.withLock { $0 += 1 }
        if rest > 0 { stack.push([rest - 1]) }
      }
      #expect(sum.withLock { $0 } == round % 7 + 2)
    }
  }

  @Test func oneWorkerTakesTheLastTaskFirst() {
    let stack = WorkStack<Int>()
    stack.push([1, 2, 3])
    let order = Mutex<[Int]>([])
    stack.run(workers: 1) { worker, task in
      order.withLock { $0.append(task) }
      if task == 3 { stack.push([10, 11]) }
      #expect(worker == 0)
    }
    #expect(order.withLock { $0 } == [3, 11, 10, 2, 1])
  }

  @Test func workersHaveTheirOwnNumbers() {
    let stack = WorkStack<Int>()
    stack.push(0..<500)
    let seen = Mutex<Set<Int>>([])
    stack.run(workers: 3) { worker, _ in _ = seen.withLock { $0.insert(worker) } }
    #expect(seen.withLock { $0 }.isSubset(of: [0, 1, 2]))
  }

  @Test func canRunAgain() {
    let stack = WorkStack<Int>()
    let sum = Mutex(0)
    for round in 1...3 {
      stack.push(1...10)
      stack.run(workers: 2) { _, task in sum.withLock { $0 += task } }
      #expect(sum.withLock { $0 } == 55 * round)
    }
  }

  @Test func noTasksNoWork() {
    let stack = WorkStack<Int>()
    let ran = Mutex(false)
    stack.run(workers: 4) { _, _ in ran.withLock { $0 = true } }
    #expect(!ran.withLock { $0 })
  }
}
