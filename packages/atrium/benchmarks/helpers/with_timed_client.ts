import { startApplication } from './application.js'
import { TimedClient } from './timed_client.js'

/**
 * Starts the application on an empty SQLite file for as long as `measure` runs.
 *
 * @param measure  gets a client that measures the server's time
 */
export async function withTimedClient(
  measure: (client: TimedClient) => Promise<void>
): Promise<void> {
  const { stop } = await startApplication()
  const client = new TimedClient()
  try {
    await measure(client)
  } finally {
    await stop()
    client.close()
  }
}
