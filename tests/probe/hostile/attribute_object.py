# uses object
object().__reduce_ex__(4)
