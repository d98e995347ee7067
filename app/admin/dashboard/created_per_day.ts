import { DateTime } from 'luxon'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../model_view.js'

const DAYS = 30

/**
 * Number of records created on each of the last 30 days, in UTC, over all models with a
 * `created_at` column, as far as the viewer may see the records. [B23, P14]
 *
 * @param report    called for a model whose query failed; its records are not counted
 * @param leaveOut  called for a model with too many records to authorize one by one
 * @returns null if no model has a `created_at` column
 */
export async function createdPerDay(
  ctx: HttpContext,
  views: ModelView[],
  report: (error: unknown) => void,
  leaveOut: (view: ModelView) => void = () => {}
): Promise<Array<{ day: string; count: number }> | null> {
  const noting = views.filter((view) => createdAt(view))
  if (noting.length === 0) return null

  const today = DateTime.utc().startOf('day')
  const days = new Map<string, number>()
  for (let ago = DAYS - 1; ago >= 0; ago--) days.set(today.minus({ days: ago }).toISODate(), 0)
  const [first] = days.keys()

  await Promise.all(
    noting.map(async (view) => {
      try {
        const { apiName } = createdAt(view)!
        const counted = await view.crud.countByDay(apiName, first, view.callOptions(ctx))
        if (!counted) leaveOut(view)
        for (const { day, count } of counted ?? []) {
          if (days.has(day)) days.set(day, days.get(day)! + count)
        }
      } catch (error) {
        report(error)
      }
    })
  )
  return [...days].map(([day, count]) => ({ day, count }))
}

function createdAt(view: ModelView) {
  const { resource } = view
  return resource.columns.all.find(
    (column) => column.name === 'created_at' && !resource.conceals(column)
  )
}
