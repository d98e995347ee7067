import factory from '@adonisjs/lucid/factories'
import { DateTime } from 'luxon'
import { DistributorFactory } from '#database/factories/distributor_factory'
import Film from '#models/film'

export const FilmFactory = factory
  .define(Film, ({ faker }) => ({
    title: faker.lorem.words(3),
    usGross: faker.number.int({ max: 1_000_000_000 }),
    releaseDate: DateTime.fromJSDate(faker.date.past({ years: 20 }), { zone: 'utc' }),
    runningTimeMin: faker.number.int({ min: 60, max: 200 }),
    majorGenre: faker.helpers.arrayElement(['Comedy', 'Drama', 'Horror']),
    director: faker.person.fullName(),
    imdbRating: faker.number.float({ min: 1, max: 10, fractionDigits: 1 }),
  }))
  .relation('distributor', () => DistributorFactory)
  .build()
