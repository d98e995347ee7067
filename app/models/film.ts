import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { AdminView, tab } from 'adonis-atrium/admin'
import { Crud, type Scope } from 'adonis-atrium'
import Distributor from '#models/distributor'

declare module 'adonis-atrium/admin' {
  interface AdminUserAttributes {
    distributor_id?: number
  }
}

/** The films of the user's distributor; a user without a distributor can access no film. */
const ownDistributor: Scope = (query, actor) => {
  query.where('distributor_id', actor.user?.attributes.distributor_id ?? 0)
}

/* No schemas for create and update: they are derived from the table's columns. */
@AdminView({
  icon: 'M4 5h16v14H4zM8 5v14M16 5v14M4 9h4M4 15h4M16 9h4M16 15h4',
  group: 'Cinema',
  scopes: { ownDistributor },
  listColumns: [
    'title',
    'release_date',
    'us_gross',
    'worldwide_gross',
    'imdb_rating',
    'distributor_id',
    'major_genre',
    'mpaa_rating',
    'director',
  ],
  facets: ['major_genre', 'mpaa_rating', 'distributor_id'],
  form: [
    'title',
    'director',
    'release_date',
    'running_time_min',
    'distributor_id',
    tab('Classification', ['major_genre', 'creative_type', 'mpaa_rating', 'source']),
    tab('Money', ['production_budget', 'us_gross', 'worldwide_gross', 'us_dvd_sales']),
    tab('Reception', ['imdb_rating', 'imdb_votes', 'rotten_tomatoes_rating']),
  ],
  fields: {
    us_gross: { label: 'US gross', widget: 'money', currency: 'USD' },
    worldwide_gross: { widget: 'money', currency: 'USD' },
    us_dvd_sales: { label: 'US DVD sales', widget: 'money', currency: 'USD' },
    production_budget: { widget: 'money', currency: 'USD' },
    mpaa_rating: { label: 'MPAA rating' },
    running_time_min: { label: 'Running time', suffix: 'min' },
    rotten_tomatoes_rating: { label: 'Rotten Tomatoes', suffix: '%' },
    imdb_rating: { label: 'IMDB rating' },
    imdb_votes: { label: 'IMDB votes' },
  },
})
@Crud({
  tags: ['Films'],
  deleteSchema: vine.object({}),
  include: ['distributor'],
  filterConfig: {
    title: null,
    title__contains: null,
    title__startswith: null,
    title__ilike: null,
    title__or: null,
    distributor_id: null,
    major_genre: null,
    major_genre__in: null,
    major_genre__is: null,
    mpaa_rating: null,
    mpaa_rating__in: null,
    creative_type: null,
    director: null,
    release_date__gte: null,
    release_date__lte: null,
    release_date__between: null,
    imdb_rating__gte: null,
    imdb_rating__lte: null,
    worldwide_gross__gte: null,
    worldwide_gross__lte: null,
    running_time_min__gte: null,
    running_time_min__lte: null,
    running_time_min__between: null,
    running_time_min__is: null,
  },
})
export default class Film extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare title: string

  @column()
  declare usGross: number | null

  @column()
  declare worldwideGross: number | null

  @column()
  declare usDvdSales: number | null

  @column()
  declare productionBudget: number | null

  @column.date()
  declare releaseDate: DateTime | null

  @column()
  declare mpaaRating: string | null

  @column()
  declare runningTimeMin: number | null

  @column()
  declare distributorId: number | null

  @belongsTo(() => Distributor)
  declare distributor: BelongsTo<typeof Distributor>

  @column()
  declare source: string | null

  @column()
  declare majorGenre: string | null

  @column()
  declare creativeType: string | null

  @column()
  declare director: string | null

  @column()
  declare rottenTomatoesRating: number | null

  @column()
  declare imdbRating: number | null

  @column()
  declare imdbVotes: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime | null
}
