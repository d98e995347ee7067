import { dialectOf } from '#base/database/dialects'
import type { Resource } from '../resource/resource.js'
import { requestsFirst } from '#base/event_loop'

/**
 * Reads a sample of rows from the tables of the resources, on databases that store any value in any column. Tables of
 * one connection are read together. Resources that are not loaded are skipped.
 */
export async function sampleForms(resources: Iterable<Resource>): Promise<void> {
  const connections = Map.groupBy(tablesOf(resources), ({ client }) => client.connectionName)
  for (const tables of connections.values()) {
    const [{ client }] = tables
    await dialectOf(client).sampleForms?.(client, tables)
  }
}

/**
 * Reads every row of the resources' tables in the background, on databases that store any value in any column, because
 * the sample at startup can miss a value in another form. A table that cannot be read is skipped.
 *
 * @param isStopped  true to end early
 */
export async function completeForms(
  resources: Iterable<Resource>,
  isStopped: () => boolean
): Promise<void> {
  const pause = async () => {
    await requestsFirst()
    return !isStopped()
  }
  for (const { table, columns, client } of tablesOf(resources)) {
    if (isStopped()) return
    try {
      await dialectOf(client).completeForms?.(client, table, columns, pause)
    } catch {
      /* Each value is still tested when it is read, and requests report what is wrong with the table. */
    }
  }
}

/** Returns each table once, with the columns of all of its models. */
function tablesOf(resources: Iterable<Resource>) {
  const loaded = [...resources].filter(({ isLoaded }) => isLoaded)
  const same = Map.groupBy(loaded, (one) => `${one.client().connectionName} ${one.table}`)
  return [...same.values()].map((models) => ({
    table: models[0].table,
    client: models[0].client(),
    columns: models.flatMap((one) => one.columns.all),
  }))
}
