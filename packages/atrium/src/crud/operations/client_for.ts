import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Resource } from '../resource/resource.js'
import type { CallOptions } from './call_options.js'

/** Returns the caller's client, or the client of the model's connection. Loads the resource first. */
export async function clientFor(
  resource: Resource,
  { client }: CallOptions
): Promise<QueryClientContract> {
  await resource.load(client)
  return client ?? resource.client()
}
