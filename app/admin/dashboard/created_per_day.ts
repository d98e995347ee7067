import { DateTime } from 'luxon'
import { dialectOf } from '#crud/database/dialects'
import type { ModelView } from '../model_view.js'

const DAYS = 30

/**
 * How many records of the models came into being on each of the last 30 days, in UTC; of the models
 * that note it in a `created_at` column. [B23]
 *
 * @param report  told of a model that could not be asked; its records are missing then
 * @returns null if no model notes it
 */
export async function createdPerDay(
  views: ModelView[],
  report: (error: unknown) => void
): Promise<Array<{ day: string; count: number }> | null> {
  const noting = views.filter((view) => createdAt(view))
  if (noting.length === 0) return null

  const today = DateTime.utc().startOf('day')
  const days = new Map<string, number>()
  for (let ago = DAYS - 1; ago >= 0; ago--) days.set(today.minus({ days: ago }).toISODate(), 0)
  const first = `${[...days.keys()][0]} 00:00:00`

  await Promise.all(
    noting.map(async (view) => {
      try {
        for (const { day, total } of await countByDay(view, first)) {
          if (days.has(day)) days.set(day, days.get(day)! + Number(total))
        }
      } catch (error) {
        report(error)
      }
    })
  )
  return [...days].map(([day, count]) => ({ day, count }))
}

function createdAt(view: ModelView) {
  return view.resource.columns.all.find((column) => column.name === 'created_at')
}

async function countByDay(view: ModelView, first: string) {
  const { model, softDelete, table } = view.resource
  const client = view.client()
  const dialect = dialectOf(client)
  const name = `${table}.created_at`
  const query = model.query({ client }).where(name, '>=', first)
  softDelete?.constrain(query as any, 'exclude', dialect)
  query
    .select(client.raw('substr(??, 1, 10) as day', [name]) as any)
    .count('* as total')
    .groupByRaw('1')
    .pojo<{ day: string; total: number }>()
  return await dialect.read(client, query as any, () => query as any as Promise<any[]>)
}
