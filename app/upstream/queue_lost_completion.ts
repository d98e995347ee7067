/*
 * @boringnode/queue 0.6.0: while a job runs longer than `idleDelay`, the worker waits for it again, and the earlier wait, whose
 * result is no longer read, removes the job from the pool. The later one then fails with a TypeError, as does one during
 * `stop()`, although the job is complete. No issue known. It can go when `JobPool#waitForNextCompletion` finds the
 * job of each wait.
 */

/** True for the error of a cycle whose job is complete. */
export function isLostCompletion(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /^Cannot read .*undefined \(reading 'queue'\)$/.test(error.message)
  )
}
