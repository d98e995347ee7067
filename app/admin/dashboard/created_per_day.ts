import { DateTime } from 'luxon'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../model_view.js'

const DAYS = 30

/**
 * How many records of the models came into being on each of the last 30 days, in UTC; of the models
 * that note it in a `created_at` column, and as far as the viewer may see them. [B23, P14]
 *
 * @param report    told of a model that could not be asked; its records are missing then
 * @param leaveOut  told of a model whose records are too many to be judged one by one
 * @returns null if no model notes it
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
        const { wire } = createdAt(view)!
        const counted = await view.crud.countByDay(wire, first, view.callOptions(ctx))
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
  return view.resource.columns.all.find((column) => column.name === 'created_at')
}
