import { ChartCard } from 'adonis-atrium/admin'
import env from '#start/env'

class GrossByGenre extends ChartCard {
  label = 'Worldwide gross by genre'
  model = 'Film'
  select = 'sum:worldwide_gross' as const
  groupBy = 'major_genre'
}

export default env.get('DEMO', true) ? GrossByGenre : undefined
