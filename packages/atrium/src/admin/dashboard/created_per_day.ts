import { DateTime } from 'luxon'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../model_view.js'
import { presentZone } from '../time/present_zone.js'

const DAYS = 30

/** Numbers of records created on each of the last 30 days, oldest first. */
export interface CreatedPerDay {
  /** Of all models together; each day as in `2026-11-21` */
  all: Array<{ day: string; count: number }>
  /** By the name of the model; a model that could not be counted is not in it */
  ofModel: ReadonlyMap<string, number[]>
}

/**
 * Number of records created on each of the last 30 days, of the present time zone, for all models with a `created_at`
 * column, as far as the viewer may see the records: one statement a model. [B23, P14]
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
): Promise<CreatedPerDay | null> {
  const noting = views.filter((view) => createdAt(view))
  if (noting.length === 0) return null

  const zone = presentZone()
  const today = DateTime.now().setZone(zone).startOf('day')
  const days = Array.from({ length: DAYS }, (_, index) =>
    today.minus({ days: DAYS - 1 - index }).toFormat('yyyy-MM-dd')
  )
  const ofModel = new Map<string, number[]>()
  await Promise.all(
    noting.map(async (view) => {
      try {
        const { apiName } = createdAt(view)!
        const options = { ...view.callOptions(ctx), zone }
        const counted = await view.crud.countByDay(apiName, days[0], options)
        if (!counted) return leaveOut(view)
        const counts = new Map(counted.map(({ day, count }) => [day, count]))
        ofModel.set(
          view.name,
          days.map((day) => counts.get(day) ?? 0)
        )
      } catch (error) {
        report(error)
      }
    })
  )
  const numbers = [...ofModel.values()]
  const all = days.map((day, index) => ({
    day,
    count: numbers.reduce((sum, one) => sum + one[index], 0),
  }))
  return { all, ofModel }
}

function createdAt(view: ModelView) {
  const { resource } = view
  return resource.columns.all.find(
    (column) => column.name === 'created_at' && !resource.conceals(column)
  )
}
