import { OutOfTime } from '../time_limit.js'

/* A statement that still waits for its thread is not running yet, and can't be interrupted. */
const AGAIN = 20

/**
 * Runs a statement that is interrupted when its time is over.
 *
 * @param connection    of the driver `sqlite3`, for this call alone
 * @param milliseconds  undefined: no limit
 * @throws OutOfTime
 */
export async function interrupted<Result>(
  connection: { interrupt(): void },
  milliseconds: number | undefined,
  run: () => PromiseLike<Result>
): Promise<Result> {
  if (milliseconds === undefined) return await run()
  let timer = setTimeout(stop, milliseconds)
  function stop() {
    connection.interrupt()
    timer = setTimeout(stop, AGAIN)
  }
  try {
    return await run()
  } catch (error) {
    throw (error as { code?: string }).code === 'SQLITE_INTERRUPT' ? new OutOfTime() : error
  } finally {
    clearTimeout(timer)
  }
}
