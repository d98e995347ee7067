import { ChartCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

class GrossByGenre extends ChartCard {
  label = 'Worldwide gross by genre'
  model = 'Film'
  select = 'sum:worldwide_gross' as const
  groupBy = 'major_genre'
}

export default hasDemoModel('film') ? GrossByGenre : undefined
