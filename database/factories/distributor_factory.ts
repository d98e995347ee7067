import factory from '@adonisjs/lucid/factories'
import Distributor from '#models/distributor'

export const DistributorFactory = factory
  .define(Distributor, ({ faker }) => ({
    name: `${faker.company.name()} ${faker.string.alphanumeric(8)}`,
  }))
  .build()
