import { NumberCard } from 'adonis-atrium/admin'
import { hasDemoModel } from '#database/demo_files'

class WorldwideGross extends NumberCard {
  label = 'Worldwide gross'
  model = 'Film'
  select = 'sum:worldwide_gross' as const
}

export default hasDemoModel('film') ? WorldwideGross : undefined
